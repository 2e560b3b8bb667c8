UPDATE model_service SET route = :route, revision = :revision, content = :content WHERE id = :id AND revision = :revision - 1
