/** One key, one effect: remembered answers to repeated requests. */
@NullMarked
package dev.fairlead.kernel.idempotency;

import org.jspecify.annotations.NullMarked;
