"""Where the names of each module come from: papers, statements of the list, or work of our own."""

from __future__ import annotations

SOURCES = {
    "throughtime.derivation": "own work; the three derivatives and their signs are those of the "
    "[notation page](../notation)",
    "throughtime.reading": "own work: the notation is that of the papers in `tests/reading`",
    "throughtime.systems": "own work: what the systems share",
    "throughtime.systems.lfmn": "{cite:t}`frasconi1992local`; lfmn-1 to lfmn-7",
    "throughtime.systems.recurrent": "{cite:t}`williams1989learning`; bptt-forward, bptt-1, bptt-2, lstm97-1 to "
    "lstm97-4",
    "throughtime.systems.elman_jordan": "{cite:t}`elman1990finding` and {cite:t}`jordan1986attractor`; rnn-1 to rnn-14",
    "throughtime.systems.lstm1997": "{cite:t}`hochreiter1997long`; lstm97-36 to lstm97-44",
    "throughtime.systems.lstm_family": "{cite:t}`hochreiter1997long`, {cite:t}`gers2000learning` and "
    "{cite:t}`gers2002learning`; peephole-1 to peephole-6, peephole-13, peephole-14",
    "throughtime.arrays": "own work on parameters, activations and the interface of networks",
    "throughtime.textbook": "own work; each network names its paper",
    "throughtime.textbook.lfmn": "{cite:t}`frasconi1992local`; lfmn-1 to lfmn-8",
    "throughtime.textbook.recurrent": "{cite:t}`williams1989learning`; bptt-forward, bptt-1, bptt-2",
    "throughtime.textbook.simple_recurrent": "{cite:t}`elman1990finding` and {cite:t}`jordan1986attractor`; rnn-1 to "
    "rnn-14",
    "throughtime.textbook.lstm1997": "{cite:t}`hochreiter1997long`; lstm97-36 to lstm97-44",
    "throughtime.textbook.peephole": "{cite:t}`gers2000learning` and {cite:t}`gers2002learning`; peephole-1 to "
    "peephole-5, peephole-13, peephole-14",
    "throughtime.learning.clipping": "{cite:t}`pascanu2013difficulty`; rnn-clip",
    "throughtime.learning.optimizers": "{cite:t}`riedmiller1993direct`, {cite:t}`riedmiller1994rprop` and "
    "{cite:t}`igel2003empirical`; rnn-18, rnn-29 to rnn-31",
    "throughtime.checks": "the complex step of {cite:t}`squire1998complex`; the distances are our own",
    "throughtime.tasks._draw": "own work: what the tasks return",
    "throughtime.tasks.adding": "{cite:t}`hochreiter1997long`, experiment 4",
    "throughtime.tasks.counting": "{cite:t}`frasconi1992local`; lfmn-example-2",
    "throughtime.tasks.first_input": "{cite:t}`frasconi1992local`; lfmn-example-1",
    "throughtime.tasks.spike_delays": "{cite:t}`gers2002learning`; peephole-msd",
    "throughtime.tasks.temporal_order": "{cite:t}`hochreiter1997long`, experiment 6",
    "throughtime.tasks.temporal_xor": "{cite:t}`elman1990finding`; rnn-xor",
    "throughtime.tasks.waves": "{cite:t}`gers2002learning`; peephole-waves",
    "throughtime.evidence": "own work",
    "throughtime.programs": "own work",
}


def source_of(module: str) -> str:
    """The row of the longest package that holds a module, as Markdown. Raises KeyError if no row does."""
    held = [name for name in SOURCES if module == name or module.startswith(name + ".")]
    if not held:
        raise KeyError(f"module: no source is given for {module}; add a row to SOURCES")
    return SOURCES[max(held, key=len)]
