// Written by studio/build.mjs.
[
    ("account-XCNX6KPI.js", true, include_bytes!("account-XCNX6KPI.js")),
    ("keys-PHBSWNDB.js", true, include_bytes!("keys-PHBSWNDB.js")),
    ("long-text-6RRYH22W.js", true, include_bytes!("long-text-6RRYH22W.js")),
    ("operator-MAKHIOJL.js", true, include_bytes!("operator-MAKHIOJL.js")),
    ("pronunciation-6ETPKUKB.js", true, include_bytes!("pronunciation-6ETPKUKB.js")),
    ("quickstart-DO3HZOHG.js", true, include_bytes!("quickstart-DO3HZOHG.js")),
    ("shared-K3GQGNTH.js", true, include_bytes!("shared-K3GQGNTH.js")),
    ("shared-W376SLHH.js", true, include_bytes!("shared-W376SLHH.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-GPJJENMC.js", true, include_bytes!("studio-GPJJENMC.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
