/** The application: the main class and classes without a feature. */
@NullMarked
package dev.fairlead;

import org.jspecify.annotations.NullMarked;
