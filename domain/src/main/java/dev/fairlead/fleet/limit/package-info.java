/** Limits on the use of the service itself by a tenant and each of its projects. */
@NullMarked
package dev.fairlead.fleet.limit;

import org.jspecify.annotations.NullMarked;
