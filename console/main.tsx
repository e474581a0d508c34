import { render } from 'preact';
import { App } from './app.tsx';
import './styles/console.css';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no element with the id console');
render(<App />, root);
