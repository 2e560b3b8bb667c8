/** Idempotency keys: stored responses to repeated requests. */
@NullMarked
package dev.fairlead.kernel.idempotency;

import org.jspecify.annotations.NullMarked;
