"""The chapter on other cuts: windows of time by hand; tests/oracles/test_textbook_torch.py has them as cuts."""


def test_the_table_by_hand_and_the_exercise(run_cell):
    slope = run_cell("def slope(")["slope"]
    exact, window, chunks = [1, 3 / 2, 7 / 4, 15 / 8], [1, 3 / 2, 3 / 2, 3 / 2], [1, 3 / 2, 1, 3 / 2]
    for column, first in ((exact, (1, 1, 1, 1)), (chunks, (1, 1, 3, 3)), (window, (1, 1, 2, 3))):
        assert [slope(time, start) for time, start in enumerate(first, 1)] == column
    assert (slope(4, 2), slope(4, 4)) == (7 / 4, 1)
