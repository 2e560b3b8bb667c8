/** Who owns what: tenants are walls, projects own jobs, actors act. */
@NullMarked
package dev.fairlead.people.tenant;

import org.jspecify.annotations.NullMarked;
