/** Series whose labels come and go. */
@NullMarked
package dev.fairlead.kernel.meter;

import org.jspecify.annotations.NullMarked;
