/** Small named values that the program of a job reports, for people and for dependent jobs. */
@NullMarked
package dev.fairlead.work.output;

import org.jspecify.annotations.NullMarked;
