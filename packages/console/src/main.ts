document.title = 'Mainline'
