"""Write the list of the boxes: what the reader says of each, why it does not say it, and how many slips it rejects."""

import csv
from pathlib import Path

from outside_reader.judge import verdict
from outside_reader.pages import boxes
from outside_reader.slips import rejected


def main() -> None:
    with Path(__file__).with_name("boxes.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["id", "verdict", "reason", "slips", "equal"])
        for box in boxes().values():
            found, reason = verdict(box)
            rows.writerow([box.id, found, reason, *(rejected(box) if found else (0, 0))])


if __name__ == "__main__":
    main()
