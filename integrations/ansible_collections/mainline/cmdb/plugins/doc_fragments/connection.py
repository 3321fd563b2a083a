class ModuleDocFragment:
    """Options of every plugin that calls Mainline."""

    DOCUMENTATION = r"""
    options:
      url:
        description: Where Mainline is.
        type: str
        default: http://127.0.0.1:8080
        env: [{name: MAINLINE_URL}]
      token:
        description: An API token, where callers must authenticate.
        type: str
        env: [{name: MAINLINE_TOKEN}]
      user:
        description: Who calls, where identity is open.
        type: str
        env: [{name: MAINLINE_USER}]
      timeout_s:
        description: Seconds that a request may take.
        type: int
        default: 60
      validate_certs:
        description: Whether the certificate of an HTTPS address is verified.
        type: bool
        default: true
    """
