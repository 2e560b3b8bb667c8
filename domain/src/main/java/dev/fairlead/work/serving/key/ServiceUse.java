package dev.fairlead.work.serving.key;

import dev.fairlead.people.tenant.ProjectId;

/**
 * Use of a key of one of the services of a tenant.
 *
 * @param service name of the service, unique within the project
 */
public record ServiceUse(ProjectId project, String service, ServiceKey.Name key, KeyUse use) {}
