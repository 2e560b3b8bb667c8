/** Leases, the epochs that fence a deposed holder, and the installation they belong to. */
@NullMarked
package dev.fairlead.kernel.lease;

import org.jspecify.annotations.NullMarked;
