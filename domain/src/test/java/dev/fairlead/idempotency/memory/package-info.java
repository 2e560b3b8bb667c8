/** In-memory twin of remembered answers. */
@NullMarked
package dev.fairlead.idempotency.memory;

import org.jspecify.annotations.NullMarked;
