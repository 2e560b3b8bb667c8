/** Templates over REST, and in submits. */
@NullMarked
package dev.fairlead.work.template.web;

import org.jspecify.annotations.NullMarked;
