/** Sessions that run without a user, for a fast start. */
@NullMarked
package dev.fairlead.work.warmpool;

import org.jspecify.annotations.NullMarked;
