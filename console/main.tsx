import { render } from 'preact';
import { App } from './app.tsx';
import { KeptInTab } from './kept/kept.tsx';
import './styles/console.css';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no element with the id console');
render(
  <KeptInTab>
    <App />
  </KeptInTab>,
  root,
);
