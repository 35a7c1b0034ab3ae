// Applies the stored theme before the first paint. A separate file, because the content security policy forbids inline scripts.
document.documentElement.dataset.theme = localStorage.getItem('overture.theme') ?? 'system'
