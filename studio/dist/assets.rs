// Written by studio/build.mjs.
[
    ("account-4QQWL6BT.js", true, include_bytes!("account-4QQWL6BT.js")),
    ("keys-MSPYIY3N.js", true, include_bytes!("keys-MSPYIY3N.js")),
    ("long-text-OHUGGQDF.js", true, include_bytes!("long-text-OHUGGQDF.js")),
    ("operator-OAEACYTL.js", true, include_bytes!("operator-OAEACYTL.js")),
    ("pronunciation-J5F37FGD.js", true, include_bytes!("pronunciation-J5F37FGD.js")),
    ("quickstart-YRRBS3CA.js", true, include_bytes!("quickstart-YRRBS3CA.js")),
    ("shared-DFL5ELPJ.js", true, include_bytes!("shared-DFL5ELPJ.js")),
    ("shared-WO7PDYVF.js", true, include_bytes!("shared-WO7PDYVF.js")),
    ("studio-FWIDGAPW.js", true, include_bytes!("studio-FWIDGAPW.js")),
    ("studio-eaba9b619996.css", true, include_bytes!("studio-eaba9b619996.css")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
