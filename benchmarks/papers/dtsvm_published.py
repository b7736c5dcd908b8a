"""What Chang, Guo, Lin and Lu (2010) published: Tables 3 to 14.

Figures 2 to 19 are pictures without numbers.
"""

# The paper's name -> our set; None: not to be had.
MEDIUM = {
    "PHW": "pendigits",
    "Letter": "letter",
    "Shuttle": "shuttle",
    "Poker": "poker",
    "CI": "adult",
    "News20": None,
    "KDD-10%": "kdd99_10pct",
}
LARGE = {"Forest": "covtype", "PPI": None, "KDD-full": None, "Webspam": None}
MODES = {"1A1": "ovo", "1AO": "ovr"}

# Table 3: (method, mode) -> total number of support vectors, in the order of MEDIUM.
TNSV = {
    ("DTSVM", "1A1"): (7_694, 183_450, 181, 88_935, 8_975, 207_290, 1_638),
    ("LIBSVM", "1A1"): (8_073, 183_450, 1_134, 140_990, 10_451, 210_560, 2_287),
    ("DTSVM", "1AO"): (1_775, 16_200, 195, 42_775, 8_975, 39_122, 1_580),
    ("LIBSVM", "1AO"): (1_210, 16_201, 266, 39_024, 10_451, 42_628, 1_566),
}
# Table 4: seconds of testing.
TESTING = {
    ("CART", "1A1"): (0.063, 0.125, 0.360, 0.157, 0.204, 0.093, 2.187),
    ("DTSVM", "1A1"): (0.047, 3.844, 0.0, 0.406, 0.219, 38.141, 0.063),
    ("LIBSVM", "1A1"): (0.265, 4.078, 0.187, 7.406, 8.453, 39.062, 7.344),
    ("DTSVM", "1AO"): (0.062, 7.344, 0.0, 1.125, 0.219, 126.0, 0.063),
    ("LIBSVM", "1AO"): (0.328, 7.328, 0.25, 17.313, 8.453, 138.0, 19.875),
}
# Table 5, in the order of LARGE.
LARGE_TNSV = {
    "1A1": (140_008, 594_687, 2_752, 8_116),
    "1AO": (114_958, 594_687, 2_781, 8_116),
}
# Table 6: seconds of testing; of DTSVM those of the tree and of the machines too.
LARGE_TESTING = {
    ("CART", "1A1"): (0.109, 0.563, 0.281, 151.86),
    ("DTSVM", "1A1"): (2.485, 38.453, 1.094, 127.0),
    ("DTSVM tree", "1A1"): (0.047, 0.235, 0.25, 75.0),
    ("DTSVM", "1AO"): (3.859, 38.453, 1.485, 127.0),
}
# Tables 7 and 11: σ_opt and per cent of the training rows in one-class leaves.
CEILING = (1_500, 24_000, 1_500, 1_500, 1_500, 24_000, 1_500)
ONE_CLASS = (0.0, 0.0, 98.42, 0.0, 15.76, 0.0, 97.35)
LARGE_CEILING = (1_500, 1_500, 1_500, 1_500)
LARGE_ONE_CLASS = (5.55, 1.64, 42.05, 80.63)
# Tables 8 and 12: σ_opt of RDSVM.
RANDOM_CEILING = {
    "1A1": (1_500, 24_000, 1_500, 24_000, 6_000, 24_000, 1_500),
    "1AO": (1_500, 24_000, 1_500, 24_000, 24_000, 24_000, 1_500),
}
LARGE_RANDOM_CEILING = {
    "1A1": (96_000, 1_500, 1_500, 96_000),
    "1AO": (1_536_000, 1_500, 1_500, 96_000),
}
# Tables 9 and 10: seconds and test accuracy at the ceilings.
CEILINGS = (1_500, 6_000, 24_000)
CEILING_SECONDS = {
    ("Letter", "1A1"): (633, 45, 90),
    ("Letter", "1AO"): (2_730, 178, 373),
    ("News20", "1A1"): (1_631, 665, 757),
    ("News20", "1AO"): (7_056, 2_952, 3_365),
}
CEILING_ACCURACY = {
    ("Letter", "1A1"): (95.35, 96.61, 97.60),
    ("Letter", "1AO"): (95.71, 96.91, 97.66),
    ("News20", "1A1"): (67.02, 76.92, 83.22),
    ("News20", "1AO"): (70.82, 79.06, 84.34),
}
# Tables 13 and 14: (T1, T2, S, R, R/L).
BOUNDS = {
    ("PHW", "1A1"): (1_699, 55, 74, 133, 17),
    ("Shuttle", "1A1"): (1_152_495, 110, 114_786, 75_630, 5_402),
    ("CI", "1A1"): (202_354, 481, 16_422, 13_599, 257),
    ("Poker", "1A1"): (12_253, 139, 370, 874, 49),
    ("KDD-10%", "1A1"): (1_297_678, 287, 100_227, 70_796, 2_212),
    ("PHW", "1AO"): (5_769, 55, 326, 450, 56),
    ("Shuttle", "1AO"): (2_756_183, 110, 593_967, 180_990, 12_928),
    ("CI", "1AO"): (202_354, 481, 16_422, 13_599, 257),
    ("Poker", "1AO"): (48_893, 139, 2_328, 3_486, 194),
    ("KDD-10%", "1AO"): (64_238, 287, 5_089, 3_505, 110),
}
