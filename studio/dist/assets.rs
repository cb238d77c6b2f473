// Written by studio/build.mjs.
[
    ("account-R4H2HQRJ.js", true, include_bytes!("account-R4H2HQRJ.js")),
    ("keys-N5ZWKP7Y.js", true, include_bytes!("keys-N5ZWKP7Y.js")),
    ("long-text-4EHZPPBJ.js", true, include_bytes!("long-text-4EHZPPBJ.js")),
    ("operator-L2J5FDHH.js", true, include_bytes!("operator-L2J5FDHH.js")),
    ("pronunciation-IWXELFZC.js", true, include_bytes!("pronunciation-IWXELFZC.js")),
    ("quickstart-VEK4OF7J.js", true, include_bytes!("quickstart-VEK4OF7J.js")),
    ("shared-KA5EF34R.js", true, include_bytes!("shared-KA5EF34R.js")),
    ("shared-ZN65YQI4.js", true, include_bytes!("shared-ZN65YQI4.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-MBB5ZVM3.js", true, include_bytes!("studio-MBB5ZVM3.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
