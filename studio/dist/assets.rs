// Written by studio/build.mjs.
[
    ("account-ZIWGWFTQ.js", true, include_bytes!("account-ZIWGWFTQ.js")),
    ("keys-O5LVST4R.js", true, include_bytes!("keys-O5LVST4R.js")),
    ("long-text-QRSK545M.js", true, include_bytes!("long-text-QRSK545M.js")),
    ("operator-CGMQADIB.js", true, include_bytes!("operator-CGMQADIB.js")),
    ("pronunciation-XZZDQLA3.js", true, include_bytes!("pronunciation-XZZDQLA3.js")),
    ("quickstart-FQ44BCLD.js", true, include_bytes!("quickstart-FQ44BCLD.js")),
    ("shared-BHWR5UUT.js", true, include_bytes!("shared-BHWR5UUT.js")),
    ("shared-V2W23G33.js", true, include_bytes!("shared-V2W23G33.js")),
    ("studio-ILLNA6DN.js", true, include_bytes!("studio-ILLNA6DN.js")),
    ("studio-eaba9b619996.css", true, include_bytes!("studio-eaba9b619996.css")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
