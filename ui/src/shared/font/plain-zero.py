"""plain-zero.py FONT: gives a font a zero without its stroke, and keeps the struck one behind the feature `zero`.

One counter takes the place of the two beside the stroke: the halves of them that it leaves whole, and the same mirrored where
it cuts. Weights go with the points, so every weight has it.
"""

import copy
import sys
from array import array

from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables.otTables import VarIdxMap
from fontTools.varLib.iup import iup_delta

# Points of the struck zero: its outline, then where its counters are widest.
OUTLINE = range(16)
LEFT, RIGHT = 23, 31
ON_CURVE = 1
# The counter from its lowest point on; mirrored are those from the other side.
COUNTER = [(16, False), (26, True), (25, True), (24, True), *((point, False) for point in range(31, 37))]
COUNTER += [*((point, True) for point in (35, 34, 33, 32)), *((point, False) for point in (23, 24, 25, 26))]


def plain(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The points of the plain zero, or their shifts, by those of the struck one."""
    across = points[LEFT][0] + points[RIGHT][0]
    counter = [(across - points[at][0] if mirrored else points[at][0], points[at][1]) for at, mirrored in COUNTER]
    return [*(points[at] for at in OUTLINE), *counter]


def main(path: str) -> None:
    font = TTFont(path, recalcTimestamp=False)
    glyphs, variations = font["glyf"], font["gvar"].variations
    coordinates, control = glyphs._getCoordinatesAndControls("zero", font["hmtx"].metrics)
    for variation in variations["zero"]:
        # Explicit for every point: which points are neighbours changes.
        variation.coordinates = iup_delta(variation.coordinates, coordinates, control.endPts)
    struck = {"zero": "zero.slash", "zero.tf": "zero.slash.tf"}
    widths = font["HVAR"].table
    if widths.AdvWidthMap is None:
        widths.AdvWidthMap = VarIdxMap()
        widths.AdvWidthMap.mapping = {name: at for at, name in enumerate(font.getGlyphOrder())}
    font.setGlyphOrder([*font.getGlyphOrder(), *struck.values()])
    for name, slash in struck.items():
        widths.AdvWidthMap.mapping[slash] = widths.AdvWidthMap.mapping[name]
        glyphs.glyphs[slash] = copy.deepcopy(glyphs[name])
        font["hmtx"].metrics[slash] = font["hmtx"].metrics[name]
        variations[slash] = copy.deepcopy(variations.get(name, []))
    glyphs["zero.slash.tf"].components[0].glyphName = "zero.slash"

    zero = glyphs["zero"]
    order = [*OUTLINE, *(at for at, _ in COUNTER)]
    points = len(zero.flags)
    zero.flags = array("B", [zero.flags[at] & ON_CURVE for at in order])
    zero.coordinates = type(zero.coordinates)(plain(list(zero.coordinates)))
    zero.endPtsOfContours = [len(OUTLINE) - 1, len(order) - 1]
    zero.numberOfContours = 2
    for variation in variations["zero"]:
        shifts = variation.coordinates
        variation.coordinates = [*plain(shifts), *shifts[points:]]

    figures = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    tabular = " ".join(f"sub {figure} by {figure}.tf;" for figure in figures)
    features = f"""
        languagesystem DFLT dflt;
        languagesystem latn dflt;
        feature tnum {{ {tabular} sub zero.slash by zero.slash.tf; }} tnum;
        feature zero {{ sub zero by zero.slash; sub zero.tf by zero.slash.tf; }} zero;
    """
    addOpenTypeFeaturesFromString(font, features, tables={"GSUB"})
    # Names were needed here only.
    font["post"].formatType = 3
    font.save(path)


main(sys.argv[1])
