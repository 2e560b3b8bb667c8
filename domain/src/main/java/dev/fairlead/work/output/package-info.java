/** Numbers and small named values that the program of a job reports. */
@NullMarked
package dev.fairlead.work.output;

import org.jspecify.annotations.NullMarked;
