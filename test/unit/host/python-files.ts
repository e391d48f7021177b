/** The files of the Python package, in order. */
export const pythonFiles = [
    "__init__.py",
    "_wire.py",
    "components.py",
    "flink.py",
    "fluss.py",
    "kubernetes.py",
    "lakekeeper.py",
    "provider.py",
    "py.typed",
    "vvp.py",
];
