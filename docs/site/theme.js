// Before the first paint: the theme chosen in the console.
try {
  document.documentElement.dataset.theme = JSON.parse(localStorage.getItem('mainline') ?? '{}').theme ?? 'system'
} catch {
  // A browser that keeps nothing follows the system.
}
