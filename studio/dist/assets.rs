// Written by studio/build.mjs.
[
    ("account-3DBADLAW.js", true, include_bytes!("account-3DBADLAW.js")),
    ("keys-IXAXCZ7F.js", true, include_bytes!("keys-IXAXCZ7F.js")),
    ("long-text-67LSIOA4.js", true, include_bytes!("long-text-67LSIOA4.js")),
    ("operator-UHYRCMJA.js", true, include_bytes!("operator-UHYRCMJA.js")),
    ("pronunciation-3VVESHMV.js", true, include_bytes!("pronunciation-3VVESHMV.js")),
    ("quickstart-L7MXGMNU.js", true, include_bytes!("quickstart-L7MXGMNU.js")),
    ("shared-HMWGMFPE.js", true, include_bytes!("shared-HMWGMFPE.js")),
    ("shared-RKCZZGSN.js", true, include_bytes!("shared-RKCZZGSN.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-AKAH6D6R.js", true, include_bytes!("studio-AKAH6D6R.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
