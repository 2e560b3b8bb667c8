/** Use cases of projects. */
@NullMarked
package dev.fairlead.people.project.service;

import org.jspecify.annotations.NullMarked;
