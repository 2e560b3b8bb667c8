/** How large the tests of the guarantees are. */
@NullMarked
package dev.fairlead.figure;

import org.jspecify.annotations.NullMarked;
