/**
 * HTTPS to addresses that users and operators specify: accepted URLs and networks, pinned
 * addresses, deadlines and bounded responses.
 */
@NullMarked
package dev.fairlead.kernel.egress;

import org.jspecify.annotations.NullMarked;
