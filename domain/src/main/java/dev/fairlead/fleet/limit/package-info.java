/** How much a tenant and each of its projects may ask of the service itself. */
@NullMarked
package dev.fairlead.fleet.limit;

import org.jspecify.annotations.NullMarked;
