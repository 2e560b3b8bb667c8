SELECT id, version FROM node WHERE state <> 'RETIRED'
