"""A text as words, numbers, scripts and signs, each with its place. LaTeX and Unicode become plain by a table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import unescape

from throughtime.derivation.evaluating.elementary import NAMED
from throughtime.reading.source import SourceText

LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
CALLED = "tanh sigmoid sigm logistic relu ReLU softplus exp log ln sqrt softmax sum mean norm max min diag"
FONTS = (
    "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr displaystyle textstyle limits nonumber notag "
    "mathbf boldsymbol bm mathcal mathscr mathsf mathbb mathrm vec pmb mathit bf rm it sf cal , ; : ! [ ] ( )"
)
NUMBERS = ("dt", "lr", "eps", "eta", "epsilon")  # of a step or a root, and no vectors
GREEK, FUNCTIONS, SILENT = LETTERS.split(), CALLED.split(), {*FONTS.split(), " "}
SIGNS = {
    "odot": "⊙", "circ": "⊙", "cdot": "·", "times": "·", "ast": "*", "in": "∈", "partial": "∂", "top": "⊤",
    "intercal": "⊤", "lVert": "‖", "rVert": "‖", "Vert": "‖", "|": "‖", "prime": "'", "newline": "\n", "quad": ",",
    "qquad": ",", "{": "(", "}": ")", "lbrack": "[", "rbrack": "]", "langle": "", "rangle": "", "coloneqq": "=",
    "triangleq": "=", "leftarrow": "=", "gets": "=", "ell": "l ", "varepsilon": "`epsilon ", "varphi": "`phi ",
    "vartheta": "`theta ", "dfrac": "`frac ", "tfrac": "`frac ", "cfrac": "`frac ", "nicefrac": "`frac ",
    "otimes": "⊗", "oplus": "⊕", "nabla": "∇",
    "forall": " for ", "dots": "...", "ldots": "...", "cdots": "...", "geq": ">=", "ge": ">=", "leq": "<=",
    "le": "<=", "prod": "`prod ", "bigodot": "⊙", "equiv": "=",
    "varrho": "`rho ", "varsigma": "`sigma ", "dagger": "†", "_": "_", "*": "*",
}  # fmt: skip
PLAIN = {"∘": "⊙", "∗": "*", "⋅": "·", "×": "·", "−": "-", "–": "-", "ϕ": "`phi ", "ϵ": "`epsilon ", "∑": " sum ",
         "⊺": "⊤", "∥": "‖", "′": "'", "½": "(1/2)", "←": "=", "≔": "=", "⟨": "", "⟩": "", "‐": "-", "‑": "-",
         "≥": ">=", "≤": "<=", "≡": "=", "∀": " for ", "⋯": "...", "∏": " `prod ", "◦": "⊙",
         "。": ".", "、": ","}  # fmt: skip
ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304", "overline": "\u0304"}
MARKS = {"\u0303": "_tilde", "\u0302": "_hat", "\u0304": "_bar"}


def _short_fraction(match: re.Match) -> str:
    """A fraction without braces, or with those of what is below the bar alone."""
    return f"`frac {{{match[1]}}}" + f"{{{match[2]}}}" * bool(match[2])


def _macro(match: re.Match) -> str:
    """What a macro of LaTeX is in plain notation: a sign, a word behind a backquote, or nothing."""
    name, sign = match[1], SIGNS.get(match[1])
    if sign is not None:
        return sign
    return f"`{name} " if name in (*GREEK, *FUNCTIONS, *NAMED, "frac") else " " if name in SILENT else match[0]


def _exponential(match: re.Match) -> str:
    """e^{a} as exp(a), unless e is a quantity, or a is raised at other letters too."""
    power = next(filter(None, match.groups())).strip()
    own = r"(?<![A-Za-z\d\\_^{])e\s*(?:_|[^\w\s^.`\\{]|$|\^\s*\{?\s*(?:[(<]\s*\w\s*[)>]|t(?!\w)))"
    label = rf"(?<!e)(?<!e )\^\s*\{{?\s*{re.escape(power)}(?!\w)" if re.fullmatch(r"`?\w+", power) else own
    return match[0] if re.search(f"{own}|{label}", match.string) else f"`exp ({power})"


def _unicode(match: re.Match) -> str:
    """Greek letters as words, lowered and raised ones as scripts, letters with an accent in two characters."""
    text, style = match[0], unicodedata.decomposition(match[0][0]).split(" ")[0]
    if style in ("<sub>", "<super>"):
        script = unicodedata.normalize("NFKD", text).replace("\u2212", "-")
        return f"{'_' if style == '<sub>' else '^'}{{{script}}}"
    if style in ("<font>", "<wide>", "<compat>") and text not in PLAIN:
        text = unicodedata.normalize("NFKC", text)
    if unicodedata.category(text[0]) == "Cf":  # takes no room
        return ""
    name = unicodedata.name(text[0], "").replace("LAMDA", "LAMBDA").split()
    if text not in PLAIN and name[:1] == ["GREEK"] and name[2:3] == ["LETTER"]:
        return f"`{name[3].lower() if name[1] == 'SMALL' else name[3].title()} "
    return PLAIN.get(text, unicodedata.normalize("NFD", text))


def _of_matrices(match: re.Match) -> str:
    """The * of a product, the ' of a transpose and net.W in MATLAB and Julia; elsewhere what stands there."""
    program = re.search(r"\w\(\s*:\s*,|\w\([^(),]*,\s*:\s*\)|[^\W\d]\.[*/^(]|[)\]]\.[*/^]", match.string)
    other = match.string[match.start() - 1] == "." or re.search(r"\\|\b(?:np|torch)\.", match.string)
    return match[0] if other or not program else {"*": "@", "'": "^T"}.get(match[0], "")


def _remark(match: re.Match) -> str:
    """Nothing for words in brackets, no formula for others; what stands there where a word is one of the text's own."""
    rest, words = re.sub(REMARK, "", match.string), re.findall("[a-z]{3,}", match[0])
    if any(re.search(rf"\b{word}\b", rest) for word in words) and not match[0].startswith("  "):
        return match[0]
    return " " if "(" in match[0] else r" \text "


def _step(match: re.Match) -> str:
    """What makes one letter of dt, also in LaTeX, unless there is a derivative by the time."""
    return "" if re.search(r"(?:\}\s*\{|/)\s*dt(?![A-Za-z])", match.string) else "`"


LETTER = rf"((?:[\\`][A-Za-z]+\s*|[A-Za-z0-9])[{''.join(MARKS)}]?)"
FONT = (r"\\(?:math\w+|boldsymbol|bm|vec|pmb)\s*\{\s*" + LETTER + r"\s*\}", r" \1 ")
MATRIX = r"\{(?:small)?[pbvBV]?matrix\*?\}"
FOR = r"`?[Ff]or\s*(?:all|each|every)?\s*(?:time)?\s*(?:steps?)?\s*"  # all times, which says nothing
ALL = r"1\s*(?:,\s*2\s*)?(?:,?\s*\.\.\.?\s*,?|`?to|:)\s*T"
RANGE = rf"\s*(?:(?:=|∈|`?in|`?from)\s*(?:[\[({{]\s*{ALL}\s*[\])}}]|{ALL}(?!\w|\s*[-+*/\]}}]))|>\s*0\b|>=\s*1\b)"
KINDS = r"\s+(?!where|with|and)[a-z]{3,}"  # of units
OTHER = r"\s*(?:[=∈<>]|`?in\b|`?from\b)"
INSIDE, WITHIN = r"(\1)", r"(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*"
NESTED = rf"\{{{WITHIN}\}}"
CONDITION = r"(?:(?i:if|else|elif|when|while|for|otherwise|unless)\b|若|如果|当|否则)"
LOOP = (  # over all times
    r"(?:^|(?<=\n))[ \t]*(?:for\s+([a-z])\s*(?:=|∈|in)\s*"
    r"(?:[12]\s*:(?!\s*\d+\s*:)|range\((?!\s*(?:[3-9]|\d\d)|[^\n,]*,[^\n,]*,))[^\n=]*(?=\n.*[(\[,{]\s*\1\s*[)\],}])"
    r"|end(?:[ \t]*for)?;?[ \t]*(?=\n|$))"
)
# A sentence without an equation says what the letters are called. One with a condition or a function may say more.
MORE = (
    rf"(?![^\n]*(?:[=∈<>|]|\\in(?![a-z])|\b(?:{CONDITION}|(?i:except|until|first|initial\w*|starts?|begin\w*|zeros?|ones?"
    r"|tanh|tangent|\w*relu|rectif\w*|identity|linear|softmax|softplus|step|concat\w*|sum|mean|average|difference|equals?"
    r"|same|norm\w*|transposed?|inverse|squared?|convol\w*|heaviside|hard\w*|outer|sine|cosine|exponential|swish|silu"
    r"|g?elu|arctan\w*|softsign|absolute|signum|gaussian|are diagonal|multiplied|tied|share their"
    r"|clipped|dropout|fixed|frozen|not trained|all products are|not (?:back-?)?propagated)\b)|_\{?0))"
)
SAYS = rf"{MORE}(?=[^\n]*\b[A-Za-z]{{2,}}(?: (?:[A-Za-z]{{2,}}|a)){{2}})[^\n]*"
SENTENCE = (
    rf"(?:^|(?<=\n))[ \t]*(?:[-*•][ \t]+)?[A-Za-z]{{2,}},?[ \t:]{SAYS}|,?\s*\b[Ww]here\b{SAYS}"
    r"|(?:^|(?<=\n))[ \t]*(?:(?:[Rr]equire|[Ee]nsure|[Ii]nputs?|[Oo]utputs?):|return\b(?![^\n]*(?:[*+@/⊙]| - )))[^\n=]*"
    r"(?=\n|$)|\.\.[ \t]math::"
)
SIDE = r"((?:[^,{}\\⟩]|\{[^{}]*\}|\\(?!rangle))*)"
PAIR = rf"(?<![_^{{])(?:\\langle|⟨){SIDE},{SIDE}(?:\\rangle|⟩)"  # the product of two vectors
PARAMETERS = (
    r"((?:^|(?<=[\n,;$&]))\s*(?:\\mathcal\s*\{?\s*)?[LJEC]\}?)"
    r"\s*\((?:\\?[Tt]heta|θ|[A-Z])(?:,\s*[A-Za-z])*\)(?=[&\s]*=)"
)
DIVISOR = r"\s*(?:[\d.]+|[A-Za-z](?:_\w|_\{[^}]*\}|\[\w\])?)\s*(?:[^\w\s]|\n|$)"  # of a remainder, and no comment
NO_LETTER = rf"(?![^()\n]*\b(?:{'|'.join(GREEK)})\b)"
# Behind an equation: two words in brackets or without, or one in brackets.
REMARK = (
    rf"(?:[ \t]{{2,}}\({NO_LETTER}[A-Za-z]{{3,}}(?:[ ;,-]+[A-Za-z]+)+\)|(?:(?<=[)\]}}])|(?<=[_^]\w))[ \t]+"
    rf"(?:\({NO_LETTER}[a-z]{{3,}}(?:[ -][a-z]{{2,}})*\)|[a-z]{{4,}}(?:[ \t]+[a-z]{{3,}})+))[ \t]*(?=\n|$|;|\\\\)"
)
LISTED = r"(?:(?:^|(?<=\n))[ \t]*(?:[-*+•]|\d+\.)[ \t]+|(?:^|(?<=\n)))"
# What is written, and what it is in plain notation, in this order. What begins with a backquote is one word.
RULES: list[tuple[str, str | Callable[[re.Match], str]]] = [
    (r"[\u00a0\u2007\u2009\u202f\u3000]", " "),
    (r"&(?:[A-Za-z]+|#\d+);", lambda match: unescape(match[0])),
    (r"\\left\s*\\\{(?=\s*\\begin)|\\right\s*\.|\\[hv](?:space|phantom)\*?\{[^{}]*\}", " "),
    (r"(?:\\in(?![A-Za-z])|∈)\s*[(\[]\s*-?[01]\s*,\s*1\s*[)\]](?=\s*(?:\^|[,;.$\n]|\\\\|$))", "∈ R"),
    (SENTENCE, " "),
    (r"(?:^|(?<=\n))[ \t]*```\w*[ \t]*(?=\n|$)|\\\\\((?=[^\n]*\\\\\))|\\\\\)|`", " "),  # marks around formulas
    (r"(?<![\w)\]}])\*\*(\w+)\*\*(?!\w)", r"\1"),  # bold
    (rf"{LISTED}[ \t]*(?:\*\*[^*\n]+\*\*[ \t]*[:：]?|[A-Za-z][A-Za-z -]+:(?=[ \t]*(?:\n|$)))", " "),  # a heading
    (rf"{LISTED}[ \t]*(?!{CONDITION})(?:[\u4e00-\u9fff]+[ \t]*[:：]|[A-Za-z]{{3,}}(?:[ -][A-Za-z]+)*:"
     r"(?=[ \t]+[${(]*(?:\\\w|[A-Za-z](?![A-Za-z]))))", " "),  # one before an equation
    (rf"{LISTED}(?=\$*[^\s={{]+(?:{NESTED}[^\s={{]*)*[ \t]*=)", " "),
    (r"(?:^|(?<=\n))[ \t]*(?:>+(?=[ \t$])|\d+:(?=[ \t])|def [^\n]*:(?=[ \t]*(?:\n|$)))", " "),  # of a program
    (r"<su([bp])>([^<>]*)</su[bp]>", lambda match: f"{'_' if match[1] == 'b' else '^'}{{{match[2]}}}"),
    (rf"(?<!\\)\\\\(?=(?:{'|'.join((*GREEK, *FUNCTIONS, 'math[a-z]+', 'text', 'frac', 'odot'))})(?![A-Za-z]))", r"\\"),
    (r"%\*%", "@"),
    (r"(?<=\d)\{,\}(?=\d)", "."),
    (PARAMETERS, r"\1"),  # J(W, U) = ...
    (rf"\(\s*(?:\\nabla|∇)\s*_\s*\{{({WITHIN})\}}\s*([LEJC])\s*\)\s*_\s*\{{?([i-n])\}}?",
     r"\\frac{\\partial \2}{\\partial \1_{\3}}"),
    (rf"(?:\\nabla|∇)\s*_\s*(?:\{{({WITHIN})\}}|(\w))\s*((?:\\mathcal\s*)?(?:\{{\s*)?[LEJC](?:\s*\}})?(?:_\w)?)(?![A-Za-z(])",
     r"\\frac{\\partial \3}{\\partial \1\2}"),
    (r"(?<=[A-Za-z\d_}])<(\w(?:\s*[-+\u2212]\s*\d)?)>", r"_{\1}"),  # a<t-1>
    (r"(?<![A-Za-z\\])(?=dt(?![A-Za-z\d_^]))", _step),
    (r"<-(?=\s)", "="),
    (rf"\\(sum|prod)\s*\^\s*({NESTED}|\w)\s*_\s*({NESTED})", r"\\\1_\3^\2"),  # the upper limit first
    (PAIR, r"((\1)^T (\2))"),
    (rf"(?:(?<![\\\d])(?:%(?!{DIVISOR})|#)|//(?!\s*\d|{DIVISOR}))[^\n]*|\\(?:label|tag)\{{[^}}]*\}}", " "),
    (LOOP, " "),
    (r"(?<=[-+*=(,\s])\.{3}[ \t]*\n", " "),  # the line goes on
    (r"(?:\\q?quad|\\hfill|,|[ \t]{2,})\s*[(\[]\d+(?:\.\d+)*[a-z]?[)\]][ \t]*(?=\$*[ \t]*(?:\n|$|\\\\))", " "),
    (r"(?:^|(?<=[\n;]))[ \t]*(?:\(\d+[a-z]?\)|\d+[.)])(?=[ \t]+[^=\n]*=)", " "),
    (REMARK, _remark),
    (rf"\\(?:under|over)brace\s*\{{({WITHIN})\}}\s*[_^]\s*(?:\\text\s*)?(?:{NESTED}|\w)", INSIDE),
    (r"\{\s*\\rm\s+([A-Za-z]{2,})\s*\}(?=\s*[({])", r"`\1 "),
    (r"(?<=[A-Za-z_^])\{\s*\\(?:bf|it|sf)\s+", r"{"),
    (r"\{\s*\\(?:bf|it|sf)\s+([^{}]*)\}", r" \1 "),
    (r"([_^])'(?=[\w({])", r"'\1"),
    (r"(?<=[A-Za-z])~(?=[_^]|$)", "\u0303"),
    (r"[$~\r]", " "),
    (r"([&\n]\s*)\\q?quad\b", r"\1 "),
    (r"\\math(?:cal|scr)\s*\{\s*([A-Z])\s*\}(?=\s*(?:\\left\s*)?\()", r"`cal\1 "),  # before a bracket a function
    (r"Σ(?=_(?:([i-n])\s|\{([i-n])(?:=[^{}]*)?\})[^\n]*[_{,\w](?:\1|\2)\b)", " sum "),  # a capital for the sign
    (r"((?:^|(?<=[\n,;]))\s*[LEJC]\s*=[^\n,;=]*?)Σ(?=_\{?[a-z](?![A-Za-z]))", r"\1 sum "),
    (r"′(?!\s*\()", "^{'}"),  # in Julia the last character of a name
    (r"[\u1d62-\u1d6a\u2080-\u209c]+|[\u1d2c-\u1d61\u2070-\u207f²³¹]+|[^\x00-\x7f]", _unicode),
    (r"(?:\\q?quad|&+|(?<=\s)(?=\\text\s*\{\s*\())\s*\\text(?:rm|bf|it)?\s*\{\s*"  # what is said of an equation
     r"(?:\([^{}]*\)|(?!(?:for|if|where|with|and)\b)[A-Za-z]+\s[A-Za-z\s]+|)\s*\}", " "),
    (r"(?<![_^{])\\text\s*\{\s*(?!for\b)(?:[A-Za-z]{2,}\s+[A-Za-z]{2,}[^{}]*|(?<=\s)(?!where|with|and)[A-Za-z]{2,}\s+)\}"
     r"(?!\s*[_^(=])", r" \\text "),  # no name
    (r"\\(?:math(?:rm|sf|tt|it)|text(?:rm|bf|it|sf|tt|sc)?|mbox|operatorname)\*?\s*\{((?:[^{}\\]|\\_)*)\}",
     lambda match: f"`{re.sub(r'[^0-9A-Za-z]', '', match[1])} "),
    (r"\\left\s*[(\[]\s*\\begin\{array\}(?:\{[rlc|]*\})?", r"\\begin{pmatrix}"),
    (r"\\end\{array\}\s*\\right\s*[)\]]", r"\\end{pmatrix}"),
    (r"\\\\(?=(?:(?!\\begin|\\end).)*\\end" + MATRIX + ")", ";"),
    (r"\\begin" + MATRIX, "["),
    (r"\\end" + MATRIX, "]"),
    (r"(?:(?<==)|(?<=[=&]\s))\\begin\{d?cases\*?\}", r"\\cases "),  # elsewhere a brace around equations
    (r"\n(?=(?:(?!\\begin).)*\\end\{)", " "),  # in an environment a line ends with two backslashes
    (r"(?:\{\s*(?:\\displaystyle\s*)?)*\\begin\{[^}]*\}(?:\[[a-z]\]|\{[rlcRLC|\d]*\})?|\\end\{[^}]*\}|\\\\(?:\[\d[^\]]*\])?",
     "\n"),
    (r"\{\s*\\displaystyle", " "),
    (r"\\(?:mathbf|boldsymbol|bm)\s*\{\s*([A-Z])\s*([a-z])\s*\}", r" \1 \2 "),  # W x
    FONT,
    (rf"(\\(?:wide)?(?:{'|'.join(ACCENTS)}))\s*\{{\s*{LETTER}\s*((?:[_^]\s*(?:\w|\{{[^{{}}]*\}})\s*)+)\}}",
     r"\1{\2}\3"),
    (rf"\\(?:wide)?({'|'.join(ACCENTS)})\s*(?:\{{\s*{LETTER}\s*\}}|{LETTER})",
     lambda match: f" {(match[2] or match[3]).strip()}{ACCENTS[match[1]]} "),
    FONT,
    (rf"(?<![_^])\{{\s*{LETTER}\s*\}}(?=\s*[_^'])", r" \1 "),
    (r"\\([A-Za-z]+|[^A-Za-z])", _macro),
    (r"`frac\s*(\d)\s*(\d|[A-Za-z]|`\w+ ?|(?={))", _short_fraction),
    (r"\b(?:(?:np|jnp|numpy|torch|tf|nn|ops|math|F|K)\.)+(?=[a-z])|\bself\._?(?=[A-Za-z])|:(?==)", ""),
    (r"\*\*", "^"),
    (r"\*|(?<=[\w)\]])'|(?<![\w.)\]])[A-Za-z]\w*\.(?=[A-Za-z])", _of_matrices),
    (r"(?<=[\w)\]])\.(?:dot|matmul)(?=\()", "@"),
    (r"(\b[A-Z]\w*)[ \t]+\.[ \t]+(?=[a-z]\w*[_(\[])", r"\1 · "),  # Wx . x(t)
    (r"(?<=\w)[(\[]\s*:\s*,\s*([^()\[\],]+)[)\]]", r"_{\1}"),  # a column at a time
    (r"(?<=\w)[(\[]([^()\[\],:]+),\s*:\s*[)\]](?:\^T)?", r"_{\1}"),  # a row, or one as a column
    (r"(?<![\w\\`])([A-Za-z]+\d*)\{(\w(?:[+-]\d)?)\}", r"\1_{\2}"),
    (r"\(\.\)|(?<=[\s\w)\]}])\.\*", "⊙"),
    (r"(?<=[\s\w)\]])\.(?=[-+/^])|(?<=\w)\s?\.(?=\()", ""),  # a broadcast
    (r"\b([A-Za-z])\[(\w)->(\w)\]", r"\1_{\2\3}"),
    (r"(?<![\w.])[A-Za-z]\w*\[(['\"])([A-Za-z]\w*)\1\]", r"\2"),  # a weight in a dictionary
    (rf"(?<![A-Za-z\\_^])`?e\s*\^\s*(?:\{{(?!\s*[T⊤*'(<])({WITHIN})\}}|\(([^()]*\W[^()]*)\)"
     rf"|(`\w+|(?:{'|'.join(GREEK)}|\d+|(?!T)[A-Za-z])(?![\w.(\[])))(?!\s*_)", _exponential),
    (r"`[Dd]elta[ \t]*t(?![\w^({])", "`dt "),  # one letter
    ("&", " "),
    (rf"\(\s*(?:{FOR})?[A-Za-z]{RANGE}\s*\)", " "),
    (rf"(?<![\w{{\[])(?:{FOR}[A-Za-z](?!\w)(?:{RANGE}|(?!{OTHER}|{KINDS}))|[A-Za-z]{RANGE})[ \t]*(?::|do\b)?", " "),
    (r"(?<=[\w\])}])\.T\b", "^T"),
    (r"(?<![\w.])`?(?:[Ww]here|with|and)\b(?!\()(?:[ \t]*:)?", ","),
]  # fmt: skip
WORD = rf"`\w+|in(?=\s+R(?!\w))|(?:{'|'.join(FUNCTIONS)}|for)(?!\w)|sum(?=_)|[A-Za-z]"
SCRIPT = r"(?P<script>[_^])[ \t]*(?:\{(?P<braced>(?:[^{}]|\{[^{}]*\})*)\}|(?P<one>\([^()]*\)|`\w+"
NUMBER = r"|(?P<number>\d+/\d+(?![.\dA-Z])|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)"
SIGN = r"|(?P<sign>\|\||[^\S\n]*\n|[-+*/=⊙·@()\[\]{},;.:'‖∂∈⊤])|(?P<unknown>\\[A-Za-z]+|\\?\S)"
WORDS = "words that belong to no formula have to be left out, and what they say of one written into it"
STEP = "a differential equation is written as a step, x_t = x_{t-1} + dt * (...)"
REAL = "real numbers: a line for the real part and one for the imaginary part"
DERIVED = "what the derivative is, written out; those of a loss follow from a line for it, L = ..."
MASK = "a mask that is given, m_t * a_t, for what depends on a condition"
ARROW = "an equation, as h_t = f(W x_t + U h_{t-1})"
MARKED = "the formula without the marks of a web page, as W for <b>W</b>"
NEAREST = {
    "\\cases": "a mask that is given, h_t = m_t * a_t + (1 - m_t) * b_t",
    "\\dot": STEP,
    "\\overrightarrow": "a label, h^{(f)}_t; a backward state is a forward one of the reversed sequence",
    "⊗": "a * b for one product each unit, or a b^T for the outer product",
    "⊕": "[a; b] for one below the other",
    "∇": "dL/dW for a gradient",
    "\\Re": REAL,
    "\\text": WORDS,
    "\\bmod": "a mask that is given, c_t = k_t * a_t + (1 - k_t) * c_{t-1}",
    "\\star": "a convolution is a sum over lags, sum_{k=0}^2 A_k x_{t-k}",
    **dict.fromkeys(["\\rightarrow", "\\to", "\\mapsto", "→", "\\Rightarrow", "\\implies", "⇒"], ARROW),
    "|": "abs(a) for each element, ‖a‖ for a length",
    "√": "sqrt(a)",
    "\u0307": STEP,
    "—": "a minus is -",
    **dict.fromkeys("<>%", f"{MASK}; bounds of a number have to be left out"),
}
ASIDE = dict.fromkeys(["is", "are", "was", "the", "of", "from", "plus", "minus", "times", "denotes", "which"], WORDS)
ASIDE |= dict.fromkeys(["if", "else", "elif", "or", "otherwise", "unless", "when", "while"], f"{MASK}; {WORDS}")
NEAREST["\\overleftarrow"], NEAREST["\\pmod"] = NEAREST["\\overrightarrow"], NEAREST["\\bmod"]
NEAREST |= dict.fromkeys(
    map("\\{}".format, (*ACCENTS, "widetilde", "widehat")), r"an accent over one letter, \tilde{c}_t"
)


@dataclass(frozen=True)
class Token:
    """A piece of the text: "word", "number", "low" or "high" (a script), "sign" or "end"; what it says, its place."""

    kind: str
    text: str
    at: int

    def __str__(self) -> str:
        return {"": "the end of the text", "\n": "the end of the line"}.get(self.text, self.text)


def sentences(text: str) -> list[str]:
    """What a text says in words that are no part of its equations, and is passed over."""
    remarks = (match for match in re.finditer(REMARK, re.sub(SENTENCE, " ", text)) if _remark(match) == " ")
    found = (match[0].strip(" \t\n,") for match in (*re.finditer(SENTENCE, text, re.S), *remarks))
    return [one for one in found if " " in one and not one.startswith((".. math", "return"))]


def _rewritten(text: str, places: list[int], pattern: str, new: str | Callable) -> tuple[str, list[int]]:
    """A text with what a pattern finds replaced, and the places from which its characters come."""
    written, origin, end = [], [], 0
    for match in re.finditer(pattern, text, re.S):
        made = new(match) if callable(new) else match.expand(new)
        begin, close = match.span(1) if new == INSIDE else (0, 0)
        written += [text[end : match.start()], made]
        origin += [*places[end : match.start()], *[places[match.start()]] * (1 if close else len(made))]
        origin += places[begin : close + 1] if close else []
        end = match.end()
    return "".join((*written, text[end:])), origin + places[end:]


def tokens(source: SourceText, words: Iterable[str] = ()) -> list[Token]:
    """The tokens of a text, in which each of `words` is one; NotationError for a sign that has no meaning here."""
    text, places = source.text, [*range(len(source.text)), len(source.text.rstrip())]
    for pattern, new in RULES:
        text, places = _rewritten(text, places, pattern, new)
    # in LaTeX each letter is a symbol of its own, elsewhere letters side by side are a word
    more, one = ("", "") if "\\" in source.text else ("[A-Za-z0-9]*", r"|-?\d+|T(?=[a-z][_(\[])|[^\W_]+")
    own = "".join(rf"{re.escape(word)}(?![A-Za-z0-9])|" for word in sorted(words, key=len, reverse=True))
    kind = rf"{SCRIPT}{one}|[^\s{{(]))|(?P<word>{own}(?:{WORD}){more})[ \t]*(?P<mark>[{''.join(MARKS)}]?){NUMBER}{SIGN}"
    found = []
    for match in re.finditer(kind, text):
        at, said = places[match.start()], match[0].replace("||", "‖").strip(" \t")
        if said in ("_", "^"):
            gap = "a { that is not closed" if text[match.end() :].lstrip(" \t")[:1] == "{" else f"nothing behind {said}"
            raise source.fault(at + 1, f"found {gap}", "expected } behind a label, a time or a power")
        if match["unknown"]:
            at += len(source.text[at:]) - len(source.text[at:].lstrip(" \t"))
            (shown,) = re.findall(r"\A(?:\\?[A-Za-z]+|\\?.)", source.text[at:])
            hint = NEAREST.get(said, WORDS if shown.isalpha() else "")
            hint = MARKED if re.match("</?[A-Za-z][^<>]*>", source.text[at:]) else hint
            hint = ARROW if said == ">" and source.text[at - 1 : at] in tuple("-=") else hint
            raise source.fault(at, f"found {shown}", "it has no meaning here", hint)
        if match["script"]:
            script, said = {"_": "low", "^": "high"}[match["script"]], match["one"] or match["braced"]
            found.append(Token(script, re.sub(r"^<(.*)>$", r"\1", re.sub(r"[\s{}`]", "", said)), at))
        elif match["word"]:
            found.append(Token("word", match["word"].strip("`") + MARKS.get(match["mark"], ""), at))
        else:
            found.append(Token("number" if match["number"] else "sign", said, at))
    return [*found, Token("end", "", places[-1])]
