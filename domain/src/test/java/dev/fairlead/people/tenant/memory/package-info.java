/** In-memory stores of tenants and projects. */
@NullMarked
package dev.fairlead.people.tenant.memory;

import org.jspecify.annotations.NullMarked;
