"""QuickJS, which runs programs in JavaScript."""

import json

import quickjs


def gradient(source, arguments):
    """Loss and flat gradient by the function ``gradient`` of a program."""
    context = quickjs.Context()
    context.eval(source)
    context.eval("function flat(a) { return typeof a === 'number' ? [a] : Array.from(a).flatMap(flat); }")
    given = ", ".join(json.dumps(array.tolist()) for array in arguments)
    loss, *slopes = json.loads(context.eval(f"JSON.stringify(flat(gradient({given})))"))
    return {"loss": float(loss), "gradient": list(map(float, slopes))}
