// Before anything is shown: the theme that the console was told to use.
try {
  document.documentElement.dataset.theme = JSON.parse(localStorage.getItem('mainline') ?? '{}').theme ?? 'system'
} catch {
  // A browser that keeps nothing follows the system.
}
