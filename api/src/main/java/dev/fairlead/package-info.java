/** The application: the main class and what belongs to no single feature. */
@NullMarked
package dev.fairlead;

import org.jspecify.annotations.NullMarked;
