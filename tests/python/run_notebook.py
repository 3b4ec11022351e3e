"""Runs a notebook in the current folder and writes what comes of it: run_notebook.py NOTEBOOK FOLDER-FOR-PICTURES"""

import base64
import pathlib
import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
for cell in notebook.cells:
    assert not cell.get("outputs") and cell.get("execution_count") is None, "outputs are in the committed file"
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": "."}}).execute()

pictures = 0
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            print(output.text, end="")
            continue
        data = output.get("data", {})
        if "image/png" in data:
            pictures += 1
            pathlib.Path(sys.argv[2], f"{pictures}.png").write_bytes(base64.b64decode(data["image/png"]))
        elif "text/plain" in data:
            print(data["text/plain"])
print("pictures:", pictures)
