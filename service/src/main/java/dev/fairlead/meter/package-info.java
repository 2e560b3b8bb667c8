/** Series whose labels come and go. */
@NullMarked
package dev.fairlead.meter;

import org.jspecify.annotations.NullMarked;
