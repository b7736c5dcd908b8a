"""Decision regions of a classifier in the plane, as a PNG inside the page."""

import base64
import struct
import zlib

import numpy as np

_SIDE = 220  # points along each side; shown smoothed and a little larger
_PALETTE = np.array(
    [
        (0x56, 0xB4, 0xE9),
        (0xE6, 0x9F, 0x00),
        (0x00, 0x9E, 0x73),
        (0xCC, 0x79, 0xA7),
        (0x99, 0x99, 0x33),
        (0x66, 0x66, 0xCC),
    ],
    dtype=float,
)


def region_image(model, X, y, classes, *, max_dots=700):
    """Return a data URL with the regions of a fitted classifier and some rows on them.

    Parameters
    ----------
    model : fitted classifier
    X : ndarray of shape (n_rows, 2)
    y : ndarray of shape (n_rows,)
    classes : sequence
    max_dots : int
    """
    X, classes = np.asarray(X), np.asarray(classes)
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.04 * np.maximum(high - low, 1e-12)
    low, high = low - margin, high + margin
    across, up = (np.linspace(low[j], high[j], _SIDE) for j in range(2))
    grid = np.stack(np.meshgrid(across, up[::-1]), axis=-1).reshape(-1, 2)
    codes = np.searchsorted(classes, model.predict(grid)).reshape(_SIDE, _SIDE)
    strong = _PALETTE[codes % len(_PALETTE)]
    picture = 255 - 0.45 * (255 - strong)
    shown = slice(0, max_dots)
    places = ((X[shown] - low) / (high - low) * (_SIDE - 1)).round()
    columns, rows = places.T.astype(int)
    dots = _PALETTE[np.searchsorted(classes, y[shown]) % len(_PALETTE)] * 0.72
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        down = np.clip(_SIDE - 1 - rows + dy, 0, _SIDE - 1)
        picture[down, np.clip(columns + dx, 0, _SIDE - 1)] = dots
    return "data:image/png;base64," + base64.b64encode(png(picture)).decode("ascii")


def png(picture):
    """Return an array of shape (height, width, 3), values 0 to 255, as a PNG file."""
    pixels = np.clip(picture, 0, 255).astype(np.uint8)
    height, width, _ = pixels.shape
    # Each row begins with a byte that says "no filter".
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(rows.tobytes(), 9)
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind, content):
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
