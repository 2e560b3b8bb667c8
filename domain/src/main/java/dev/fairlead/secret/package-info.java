/** Values that are written and never read back by people. */
@NullMarked
package dev.fairlead.secret;

import org.jspecify.annotations.NullMarked;
