/** Series with changing labels. */
@NullMarked
package dev.fairlead.kernel.meter;

import org.jspecify.annotations.NullMarked;
