"""From values of machines and leaves to `decision` and `predict`, in C."""

import numpy as np

from treesvm.export.c_text import array, real
from treesvm.export.flat_arrays import flattened
from treesvm.export.plan import LEAD
from treesvm.machines.voting import PAIR_SLOPE
from treesvm.trees.tree_committee import node_shares

_ENCODE = """
static void encode(const float *row, double *x)
{
    int e;
    for (e = 0; e < WIDTH; e++) {
        double value = row[source[e]];
        if (is_indicator[e])
            value = isnan(value) ? 1.0 : 0.0;
        else if (isnan(value))
            value = fill[e];
        x[e] = (value - encode_shift[e]) * encode_factor[e];
    }
}
"""

_SQUEEZED = """
/* Sums within (-1/3, 1/3), which break ties between votes only. */
static double squeezed(double sum)
{
    return sum / (3.0 * (fabs(sum) + 1.0));
}
"""

_VOTES = """
static void vote(int n_pairs, const {pairs} *pair, const double *values, double *scores)
{{
    double sums[N_CLASSES] = {{0}}, lowest = INFINITY;
    int known[N_CLASSES] = {{0}}, m, c;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = 0;
    for (m = 0; m < n_pairs; m++) {{
        const int a = pair[2 * m], b = pair[2 * m + 1];
        known[a] = 1;
        sums[a] += values[m];
        if (b < 0) {{
            scores[a] = values[m];
            continue;
        }}
        known[b] = 1;
        sums[b] -= values[m];
        scores[values[m] > 0 ? a : b] += 1.0;
    }}
    for (c = 0; c < N_CLASSES; c++) {{
        if (known[c] && pair[1] >= 0)
            scores[c] += squeezed(sums[c]);
        if (known[c] && scores[c] < lowest)
            lowest = scores[c];
    }}
    for (c = 0; c < N_CLASSES; c++)
        if (!known[c])
            scores[c] = lowest - 1.0;
}}
"""

_MEMBER = """
static int member_scores(const number *x, int member, double *scores)
{{
    const int part = part_of(x, member);
    int c;
    for (c = 0; c < N_OUTPUTS; c++)
        scores[c] = constants[(long)part * N_OUTPUTS + c];
{answer}    return part;
}}
"""

_MACHINE_ANSWERS = {
    "values": """
    if (has_machine[part])
        values_of(part, x, scores);
""",
    "two": """
    if (has_machine[part]) {
        values_of(part, x, scores + 1);
        scores[0] = -scores[1];
    }
""",
    "votes": """
    if (has_machine[part]) {
        double values[MOST_MACHINES];
        values_of(part, x, values);
        vote(n_pairs[part], pairs + pairs_begin[part], values, scores);
    }
""",
}

_JOINED = """
static void scores_of(const number *x, double *scores)
{
    double own[N_CLASSES], total[N_CLASSES] = {0};
    int member, c, best;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = 0;
    for (member = 0; member < N_MEMBERS; member++) {
        member_scores(x, member, own);
        best = 0;
        for (c = 0; c < N_CLASSES; c++) {
            best = own[c] > own[best] ? c : best;
            total[c] += own[c];
        }
        scores[best] += 1.0;
    }
    for (c = 0; c < N_CLASSES; c++)
        scores[c] += squeezed(total[c]);
    if (N_CLASSES == 2) {
        scores[1] -= scores[0];
        scores[0] = -scores[1];
    }
}
"""

_SINGLE = """
static void scores_of(const number *x, double *scores)
{
    member_scores(x, 0, scores);
}
"""

_OF_PAIRS = """
static void scores_of(const number *x, double *scores)
{
    double values[N_OUTPUTS];
    member_scores(x, 0, values);
    vote(N_OUTPUTS, pairs, values, scores);
}
"""

_EVIDENCE = """
/* Means of the logarithms of pair probabilities. */
static void vote(int n_pairs, const {pairs} *pair, const double *values, double *scores)
{{
    double lowest = INFINITY;
    int count[N_CLASSES] = {{0}}, m, c;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = 0;
    for (m = 0; m < n_pairs; m++) {{
        const int a = pair[2 * m], b = pair[2 * m + 1];
        const double odds = {slope} * values[m], doubt = log1p(exp(-fabs(odds)));
        count[a]++;
        if (b < 0) {{
            scores[a] = values[m];
            continue;
        }}
        count[b]++;
        scores[a] -= doubt + (odds < 0 ? -odds : 0);
        scores[b] -= doubt + (odds > 0 ? odds : 0);
    }}
    for (c = 0; c < N_CLASSES; c++)
        if (count[c]) {{
            scores[c] /= count[c];
            lowest = scores[c] < lowest ? scores[c] : lowest;
        }}
    for (c = 0; c < N_CLASSES; c++)
        if (!count[c])
            scores[c] = lowest - 1.0;
}}
"""

_COMPARABLE = """
static int largest(const double *scores)
{{
    int c, best = 0;
    for (c = 1; c < N_CLASSES; c++)
        best = scores[c] > scores[best] ? c : best;
    return best;
}}

/* Let a class have the largest score, by a little where it had not. */
static void put_on_top(double *scores, int code)
{{
    const int best = largest(scores);
    if (best != code)
        scores[code] = scores[best] + {lead};
}}

/* Scores that compare rows of several parts; returns the member's answer. */
static int comparable_scores(const number *x, int member, double *scores)
{{
    const long part = member_scores(x, member, scores);
    const int answer = largest(scores);
    int c;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = factors[part] * scores[c] + shifts[part * N_CLASSES + c];
    return answer;
}}
"""

_SHIFTED = """
static void scores_of(const number *x, double *scores)
{
    const int answer = comparable_scores(x, 0, scores);
    put_on_top(scores, answer);
    if (N_CLASSES == 2) {
        scores[1] = (scores[1] - scores[0]) / 2;
        scores[0] = -scores[1];
    }
}
"""

_MEANS = """
/* The logarithm of the mean of the members' probabilities. */
static void scores_of(const number *x, double *scores)
{{
    double own[N_CLASSES];
    int member, c;
    for (member = 0; member < N_MEMBERS; member++) {{
        const int answer = comparable_scores(x, member, own);
        for (c = 0; c < N_CLASSES; c++)
            own[c] = {slope} * own[c] + base[c];
        to_logarithms(own);
        put_on_top(own, answer);
        to_logarithms(own);
        for (c = 0; c < N_CLASSES; c++) {{
            const double top = member && scores[c] > own[c] ? scores[c] : own[c];
            const double gap = member ? fabs(scores[c] - own[c]) : INFINITY;
            scores[c] = top + log1p(exp(-gap));
        }}
    }}
    for (c = 0; c < N_CLASSES; c++)
        scores[c] -= log(N_MEMBERS);
    if (N_CLASSES == 2) {{
        scores[1] -= scores[0];
        scores[0] = -scores[1];
    }}
}}
"""

_TO_LOGARITHMS = """
static void to_logarithms(double *scores)
{
    double total = 0, top = -INFINITY;
    int c;
    for (c = 0; c < N_CLASSES; c++)
        top = scores[c] > top ? scores[c] : top;
    for (c = 0; c < N_CLASSES; c++)
        total += exp(scores[c] - top);
    for (c = 0; c < N_CLASSES; c++)
        scores[c] -= top + log(total);
}
"""

_LOGARITHMS = """
static void scores_of(const number *x, double *scores)
{
    double own[N_CLASSES];
    int member, c;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = 0;
    for (member = 0; member < N_MEMBERS; member++) {
        const long part = member_scores(x, member, own);
        for (c = 0; c < N_CLASSES; c++)
            own[c] = factors[part] * own[c] + shifts[part * N_CLASSES + c];
        to_logarithms(own);
        for (c = 0; c < N_CLASSES; c++)
            scores[c] += member_weights[member] * own[c];
    }
    to_logarithms(scores);
}
"""

_LEAF_SHARES = """
static void scores_of(const number *x, double *scores)
{
    const long part = part_of(x, 0);
    int c;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = shares[part * N_CLASSES + c];
}
"""

_TREES_AGAINST_REST = """
static void scores_of(const number *x, double *scores)
{
    int c;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = shares[part_of(x, c)];
}
"""

_TREES_OF_PAIRS = """
static void scores_of(const number *x, double *scores)
{
    int a, b, c, tree = 0;
    for (c = 0; c < N_CLASSES; c++)
        scores[c] = 0.25;
    for (a = 0; a < N_CLASSES; a++)
        for (b = a + 1; b < N_CLASSES; b++) {
            const double lead = shares[part_of(x, tree++)];
            scores[lead > 0 ? b : a] += 1.0;
            scores[a] -= lead / (4.0 * N_CLASSES);
            scores[b] += lead / (4.0 * N_CLASSES);
        }
}
"""

_DECISION = """
void decision(const float *row, double *scores)
{{
{head}{body}}}
"""

_PREDICT = """
int predict(const float *row)
{{
    double scores[N_CLASSES];
{head}    {ask}
    for (c = 1; c < N_CLASSES; c++)
        if ({rank}scores[c]{end} > {rank}scores[best]{end})
            best = c;
    return best;
}}

const char *class_name(int code)
{{
    return code < 0 || code >= N_CLASSES ? "" : class_names[code];
}}
"""

_NUMBER = """
double predict(const float *row)
{{
{head}    for (member = 0; member < N_MEMBERS; member++) {{
        member_scores({x}, member, value);
        total += member_weights[member] * value[0];
    }}
    return {mean} + {scale} * total;
}}
"""


def encoding(encoder):
    """Return tables and code of ``encode(row, x)``; columns of text are refused."""
    spec = encoder.spec
    if spec["kind"] == "matrix":
        fill = spec["fill"] or [np.nan] * spec["n_features"]
        places, gaps = list(range(spec["n_features"])), spec.get("indicators", [])
        source, is_gap = [*places, *gaps], [0] * len(places) + [1] * len(gaps)
    else:
        fill = [_number_fill(column) for column in spec["columns"]]
        source, is_gap = [], []
        for place, column in enumerate(spec["columns"]):
            width = 1 + bool(column.get("indicator"))
            source += [place] * width
            is_gap += [0, 1][:width]
    tables = {"source": source, "is_indicator": is_gap}
    tables["fill"] = np.array(fill, float)[source]
    tables["encode_shift"] = np.array(spec["shift"], float)
    tables["encode_factor"] = np.array(spec["factor"], float)
    return "".join(array(name, table) for name, table in tables.items()) + _ENCODE


def _number_fill(column):
    """Return what stands for a missing number: nothing, where the model takes none."""
    if column["kind"] == "text":
        raise ValueError(
            f"column {column['name']!r} holds text, which a row of floats cannot; "
            "export to ONNX, or train on numbers."
        )
    return np.nan if column["fill"] is None else column["fill"]


def tree_answers(plan):
    """Return tables and code of ``scores_of(x, scores)`` for oblique trees."""
    shares = [node_shares(tree)[tree.leaves()] for tree in plan.trees]
    if len(shares) == 1:
        return array("shares", shares[0]) + _LEAF_SHARES
    shares = np.concatenate(shares)
    if plan.multi_class == "ovr":
        return array("shares", shares[:, 1]) + _TREES_AGAINST_REST
    return array("shares", shares[:, 1] - shares[:, 0]) + _TREES_OF_PAIRS


def member_answers(plan):
    """Return tables and code of ``scores_of(x, scores)`` for members."""
    members = plan.members
    machines = [machine for member in members for machine in member.machines]
    constants = np.concatenate([member.constants for member in members])
    text = array("constants", constants)
    text += f"enum {{ N_OUTPUTS = {constants.shape[1]} }};\n"
    n_classes, answer = members[0].n_classes, ""
    counts = np.array([0 if m is None else len(m.pairs) for m in machines])
    votes = counts.any() and (plan.n_classes or 2) > 2
    evident = members[0].gives_evidence
    has_many = len(members) > 1 and plan.classes is not None
    if (votes and not evident) or (has_many and plan.joining == "votes"):
        text += _SQUEEZED
    if votes:
        way = _EVIDENCE if evident else _VOTES
        text += _pair_tables(machines, counts, way, plan.pair_values)
    if counts.any():
        text += array("has_machine", (counts > 0).astype(int))
        kind = {None: "values", 2: "two"}.get(n_classes, "votes")
        answer = _MACHINE_ANSWERS[kind].lstrip("\n")
    return text + _MEMBER.format(answer=answer) + _joined_answers(plan)


def _pair_tables(machines, counts, way, is_single):
    """Return the classes of the binary machines of each part, and how they vote."""
    found = flattened([m and {"pairs": m.pairs} for m in machines])["pairs"]
    text = pairs = array("pairs", found.data)
    if not is_single:
        text += array("pairs_begin", found.begins) + array("n_pairs", counts)
    text += f"enum {{ MOST_MACHINES = {counts.max()} }};\n"
    return text + way.format(pairs=pairs.split()[2], slope=real(PAIR_SLOPE))


def _joined_answers(plan):
    """Return the code that makes one answer of the members'."""
    if plan.classes is None:
        return array("member_weights", np.array(plan.weights))
    if plan.pair_values:
        return _OF_PAIRS
    if plan.joining == "votes" and len(plan.members) > 1:
        return _JOINED
    if not plan.calibrations:
        return _SINGLE
    factors, shifts = map(np.concatenate, zip(*plan.calibrations, strict=True))
    text = array("factors", factors) + array("shifts", shifts)
    if plan.joining == "logarithms":
        text += array("member_weights", np.array(plan.weights))
        return text + _TO_LOGARITHMS + _LOGARITHMS
    text += _COMPARABLE.format(lead=real(LEAD))
    if plan.joining == "votes":
        return text + _SHIFTED
    means = _MEANS.format(slope=real(plan.slope))
    return text + array("base", plan.base) + _TO_LOGARITHMS + means


def public_functions(plan):
    """Return `decision`, `predict` and `class_name`, or a regressor's `predict`."""
    head, x = "", "row"
    if plan.encoder is not None:
        head, x = "    double x[WIDTH];\n    encode(row, x);\n", "x"
    if plan.classes is None:
        mean, scale = map(real, plan.target)
        own = "    double value[1], total = 0;\n    int member;\n"
        declared = head.replace("    encode", own + "    encode") or own
        return _NUMBER.format(head=declared, x=x, mean=mean, scale=scale)
    ask = f"scores_of({x}, scores);"
    if plan.pair_values:
        decide = f"    member_scores({x}, 0, scores);\n"
    elif plan.n_classes > 2:
        decide = f"    {ask}\n"
    else:
        # Shares and logarithms of two classes: the lead of the second.
        is_lead = plan.trees or plan.joining == "logarithms"
        value = "both[1] - both[0]" if is_lead else "both[1]"
        decide = f"    scores_of({x}, both);\n    scores[0] = {value};\n"
        head = "    double both[2];\n" + head
    rank, end = ("floor(0.5 + ", ")") if plan.by_votes else ("", "")
    body = _DECISION.format(head=head, body=decide)
    head = head.replace("    double both[2];\n", "")
    head = head.replace("    encode", "    int c, best = 0;\n    encode")
    head = head or "    int c, best = 0;\n"
    return body + _PREDICT.format(head=head, ask=ask, rank=rank, end=end)
