// Written by studio/build.mjs.
[
    ("account-PQ74WW4Q.js", true, include_bytes!("account-PQ74WW4Q.js")),
    ("keys-OFB7GWBY.js", true, include_bytes!("keys-OFB7GWBY.js")),
    ("long-text-FI3BAAGI.js", true, include_bytes!("long-text-FI3BAAGI.js")),
    ("operator-6DBRDYTJ.js", true, include_bytes!("operator-6DBRDYTJ.js")),
    ("pronunciation-XWGFS2HU.js", true, include_bytes!("pronunciation-XWGFS2HU.js")),
    ("quickstart-LKQDMGZY.js", true, include_bytes!("quickstart-LKQDMGZY.js")),
    ("shared-WAEUX6OW.js", true, include_bytes!("shared-WAEUX6OW.js")),
    ("shared-YPYMEFXG.js", true, include_bytes!("shared-YPYMEFXG.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-A5352S57.js", true, include_bytes!("studio-A5352S57.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
