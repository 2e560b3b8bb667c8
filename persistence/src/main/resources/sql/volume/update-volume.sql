UPDATE volume
SET size_mib = :sizeMib, storage_class = :storageClass, access = :access, updated_at = :updatedAt,
    updated_by = :updatedBy, version = :version
WHERE tenant = :tenant AND id = :id AND version = :version - 1
