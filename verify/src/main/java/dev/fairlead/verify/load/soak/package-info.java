/** Mixed load for a long time, and the growth of resources under it. */
@NullMarked
package dev.fairlead.verify.load.soak;

import org.jspecify.annotations.NullMarked;
