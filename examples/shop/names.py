"""What the shop's people, goods and places are called."""

TENANTS = ("linden-de", "linden-at", "linden-nl")

FIRST_NAMES = (
    "Anna", "Jonas", "Mila", "Emil", "Lena", "Paul", "Ida", "Felix", "Clara", "Noah", "Greta", "Luca",
    "Sofie",
    "Mats", "Hanna", "Timo", "Zoe", "Ben", "Frieda", "Oskar", "Marit", "Daan", "Sanne", "Bram", "Elif",
    "Yusuf",
    "Ines", "Tomasz", "Ola", "Katarina",
)  # fmt: skip
LAST_NAMES = (
    "Berger", "Hofmann", "Lindqvist", "Krüger", "Wagner", "Steiner", "Gruber", "de Vries", "Bakker",
    "Jansen", "Yilmaz",
    "Nowak", "Weiß", "Brandt", "Vogel", "Pichler", "Maurer", "Visser", "Schäfer", "Köhler", "Özdemir",
    "Winkler",
)  # fmt: skip
STREETS = (
    "Lindenstraße", "Am Markt", "Gartenweg", "Mühlgasse", "Hauptstraße", "Kirchplatz", "Ringstraße",
    "Bachweg",
    "Prinsengracht", "Kerkstraat", "Schulgasse", "Feldweg",
)  # fmt: skip
# country by tenant -> (postcode, city)
CITIES = {
    "linden-de": (
        ("10405", "Berlin"), ("20357", "Hamburg"), ("50667", "Köln"), ("04109", "Leipzig"), ("79098",
        "Freiburg"),
    ),
    "linden-at": (("1070", "Wien"), ("8010", "Graz"), ("5020", "Salzburg"), ("6020", "Innsbruck")),
    "linden-nl": (("1015 AB", "Amsterdam"), ("3511 LX", "Utrecht"), ("9712 CP", "Groningen")),
}  # fmt: skip
COUNTRIES = {"linden-de": "DE", "linden-at": "AT", "linden-nl": "NL"}
# sku, title, price in cents
GOODS = (
    ("LIN-SHEET-140", "Linen fitted sheet 140 × 200, sage", 8990),
    ("LIN-DUVET-155", "Linen duvet cover 155 × 220, oat", 14900),
    ("WOOL-THROW", "Lambswool throw, charcoal", 7950),
    ("COT-TOWEL-4", "Waffle towels, set of four", 4490),
    ("KIT-CLOTH-3", "Kitchen cloths, set of three", 1890),
    ("CUSH-50", "Velvet cushion 50 × 50, rust", 3490),
    ("CURT-240", "Sheer curtain 240 cm, ecru", 5990),
    ("RUG-RUN", "Cotton runner 70 × 200, indigo", 6900),
    ("ROBE-M", "Terry bathrobe M, white", 7490),
    ("NAPKIN-6", "Linen napkins, set of six", 3990),
)
CARRIERS = (("DHL", "0034043{:013d}"), ("Post AT", "10459{:011d}"), ("PostNL", "3SLNDN{:09d}"))
