/** Tenants isolate, projects own jobs, and actors act with roles. */
@NullMarked
package dev.fairlead.people.tenant;

import org.jspecify.annotations.NullMarked;
