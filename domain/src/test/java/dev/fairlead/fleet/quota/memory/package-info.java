/** In-memory store of the quota tree. */
@NullMarked
package dev.fairlead.fleet.quota.memory;

import org.jspecify.annotations.NullMarked;
