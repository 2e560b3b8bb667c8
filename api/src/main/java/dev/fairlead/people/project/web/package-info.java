/** Projects, and who the caller is, over HTTP. */
@NullMarked
package dev.fairlead.people.project.web;

import org.jspecify.annotations.NullMarked;
