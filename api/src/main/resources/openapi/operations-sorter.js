// An option of Swagger UI, written before its presets.
operationsSorter: (a, b) => {
  const key = (operation) => {
    const path = operation.get('path').replace('/projects/{project}', '');
    const method = ['get', 'post', 'put', 'patch', 'delete'].indexOf(operation.get('method'));
    return `${String(path.split('/').length).padStart(3, '0')} ${path} ${method}`;
  };
  return key(a) < key(b) ? -1 : 1;
},
