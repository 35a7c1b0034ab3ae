// The theme that was chosen here, before anything is painted. The content security policy forbids a script in the page.
document.documentElement.dataset.theme = localStorage.getItem('overture.theme') ?? 'system'
